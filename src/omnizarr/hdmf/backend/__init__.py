"""The backend for HDMF, which needs hdmf."""
