"""scikit-learn's own checks of estimators, and the documented exceptions.

Most checks pass fractions, which are not counts of words, so they run on a subclass that rounds its input. A second
pass, without rounding, shows which checks these are.
"""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator

from topicgrove import HierarchicalLDA

EXCEPTIONS = {
    "check_complex_data": "TypeError, where the check asks for ValueError: a wrong type of numbers",
    "check_dtype_object": "arrays of objects may hold anything and are refused with TypeError",
}
"""Checks that fail for whole numbers, too, and why."""

FRACTIONS = dict.fromkeys(
    (
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_dtypes",
        "check_estimators_nan_inf",
        "check_positive_only_tag_during_fit",
        "check_fit2d_predict1d",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_readonly_memmap_input",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    ),
    "the check feeds fractions; counts are whole numbers",
)
"""Checks that fail only because of their data."""


class RoundedCounts(HierarchicalLDA):
    """The estimator, with fractions rounded and nothing else changed."""

    def _corpus(self, X: Any, *, reset: bool) -> Any:
        return super()._corpus(_rounded(X), reset=reset)


def _rounded(X: Any) -> Any:
    if sparse.issparse(X):
        return type(X)(np.round(X.toarray())) if X.dtype.kind == "f" else X
    if hasattr(X, "columns"):
        return X.round()
    array = np.asarray(X)
    return np.round(array) if array.dtype.kind == "f" else X


@pytest.mark.filterwarnings("ignore:.*documents are empty")
@pytest.mark.parametrize(
    ("face", "exceptions"),
    [(RoundedCounts, EXCEPTIONS), (HierarchicalLDA, EXCEPTIONS | FRACTIONS)],
    ids=["rounded", "plain"],
)
def test_scikit_learns_checks_pass_but_for_the_documented_ones(
    face: type[HierarchicalLDA], exceptions: dict[str, str]
) -> None:
    results = check_estimator(
        face(n_iter=5, random_state=0), expected_failed_checks=exceptions, on_skip=None, on_fail=None
    )
    assert len(results) > 40
    assert {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"} == {}
    needless = set(exceptions) - {r["check_name"] for r in results if r["status"] == "xfail"}
    assert needless == set()
