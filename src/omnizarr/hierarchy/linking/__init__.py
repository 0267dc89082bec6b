"""Links between nodes, and references to nodes and to regions of arrays, as HDMF stores them."""
