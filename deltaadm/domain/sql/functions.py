"""
Functions of Spark 4.2 that no condition on a row can have, and words that look like functions.

Source: the function registry of a running engine.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AGGREGATES: Final = _words(
    """
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine array_agg avg bit_and bit_or bit_xor bitmap_and_agg
    bitmap_construct_agg bitmap_or_agg bool_and bool_or collect_list collect_set corr count
    count_if count_min_sketch covar_pop covar_samp every first first_value histogram_numeric
    hll_sketch_agg hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float
    kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kurtosis last last_value
    listagg max max_by mean median min min_by mode percentile percentile_approx percentile_cont
    percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
    regr_sxy regr_syy schema_of_variant_agg skewness some std stddev stddev_pop stddev_samp
    string_agg sum theta_intersection_agg theta_sketch_agg theta_union_agg try_avg try_sum
    tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double
    tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer var_pop var_samp
    variance vector_avg vector_sum
    """
)
"""Functions of many rows."""

WINDOW_FUNCTIONS: Final = _words(
    """
    cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number
    """
)
"""Functions of a row and those around it."""

SYNTAX: Final = _words(
    """
    all and any array as between by case cast character collate cube dec distinct div else end
    escape except exists extract filter from group grouping having identifier ilike in intersect
    interval is join lateral like map mod not null numeric on or order over overlay partition
    position regexp rlike rollup row select sets similar some struct substr substring table then
    time timestampadd timestampdiff trim try_cast union using values varchar when where with
    within xor
    """
)
"""Words that may stand before a bracket as part of the grammar."""
