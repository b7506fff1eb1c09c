// The job of bench_logs.py in DuckDB, with one thread. Prints the seconds of the query and one
// line of JSON per session.
// usage: duckdb_log.cjs FILE PATTERN     PATTERN: matches outputs of failed calls
'use strict';
const {DuckDBInstance} = require('@duckdb/node-api');

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

async function main([file, pattern]) {
  const instance = await DuckDBInstance.create(':memory:', {threads: '1'});
  const connection = await instance.connect();
  const begin = process.hrtime.bigint();
  const reader = await connection.runAndReadAll(`
    WITH calls AS (
      SELECT session, ts, tool, hash(command) AS input,
             CASE WHEN exit = '' THEN regexp_matches(output, ${quoted(pattern)})
                  ELSE exit <> '0' END AS failed
      FROM read_json(${quoted(file)}, format = 'newline_delimited',
                     columns = {ts: 'VARCHAR', tool: 'VARCHAR', exit: 'VARCHAR', session: 'VARCHAR',
                                command: 'VARCHAR', output: 'VARCHAR'})
    ), compared AS (
      SELECT *, lag(failed) OVER calls_before AND lag(tool) OVER calls_before = tool
                AND lag(input) OVER calls_before = input AS repeated
      FROM calls WINDOW calls_before AS (PARTITION BY session ORDER BY ts)
    )
    SELECT session, count(*)::INTEGER, (count(*) FILTER (failed))::INTEGER,
           (count(*) FILTER (repeated))::INTEGER, min(ts), max(ts)
    FROM compared GROUP BY session`);
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  const rows = reader.getRowsJson().map((row) => JSON.stringify(row));
  process.stdout.write([seconds, ...rows].join('\n') + '\n');
}

main(process.argv.slice(2));
