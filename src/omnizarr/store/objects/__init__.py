"""Values as objects of S3, GCS, Azure and plain HTTP servers."""
