"""What the changelog formats made of JSON share: an envelope around rows, its metadata, and the kinds of changes."""
