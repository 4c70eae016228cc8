// How many links a pipeline has, as SQL. Each of a million links costs 40 nanoseconds where the pipeline's are walked along, and
// 6 where all of the table are counted, which SQLite does by the page.

/** `pipeline`: the parameter that holds the name. */
export const linkCount = (pipeline: '@pipeline' | '@name'): string =>
  `(SELECT CASE WHEN (SELECT min(pipeline) FROM link) = ${pipeline} AND (SELECT max(pipeline) FROM link) = ${pipeline}
    THEN (SELECT count(*) FROM link) ELSE (SELECT count(*) FROM link WHERE pipeline = ${pipeline}) END)`
