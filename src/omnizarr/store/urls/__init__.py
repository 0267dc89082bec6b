"""From paths and URLs to stores."""
