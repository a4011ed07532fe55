"""The experiments of Chen, Zhu, Lu and Liu (KDD 2017), one file per table and figure; see docs/reproduction.md."""
