// What failed in a run of the tests, read from what the tools tell, as lines that a cut log still ends with.
//
// A failure is `where` (its file, or nothing), `name` (the test's full name, or the tool's), and `errors`: a line for each.

/** Longest first line of an error, in characters, and most lines of one check that are said again. */
const MOST_CHARACTERS = 300;
const MOST_LINES = 20;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these letters are what colours are made of
const COLOURS = /\u001b\[[0-9;]*m/g;

/** Text without colours. */
const plain = (text) => text.replace(COLOURS, '');

/** The first line of an error that says anything, without colours and not too long. */
export function firstLine(text) {
  const line = plain(String(text ?? ''))
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '');
  return (line ?? 'no message').slice(0, MOST_CHARACTERS);
}

/** The failed tests of Playwright's JSON report, and the errors that belong to no test. */
export function playwrightFailures(report) {
  const failures = (report.errors ?? []).map(({ message }) => ({
    where: '',
    name: '',
    errors: [firstLine(message)],
  }));
  const visit = (suite, titles) => {
    for (const spec of suite.specs ?? []) {
      const failed = spec.tests.find((test) => test.status === 'unexpected');
      if (failed === undefined) continue;
      const error = failed.results.flatMap((result) => result.errors ?? [])[0];
      failures.push({
        where: `${spec.file}:${spec.line}`,
        name: [...titles, spec.title].join(' > '),
        errors: [firstLine(error?.message ?? failed.results[0]?.status)],
      });
    }
    // The outermost suites are the files, which `where` names.
    for (const inner of suite.suites ?? []) visit(inner, [...titles, inner.title]);
  };
  for (const file of report.suites ?? []) visit(file, []);
  return failures;
}

/** What a check found, out of all that it printed: the lines that `pattern` takes for a fault, or its last line. */
export function checkFailure(tool, output, pattern) {
  const lines = plain(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const faults = lines.filter((line) => pattern.test(line));
  const said = faults.length > 0 ? faults : lines.slice(-1);
  const more = said.length - MOST_LINES;
  const errors = [...said.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more`] : [])];
  return { where: '', name: tool, errors: errors.map(firstLine) };
}

/** The lines that name each failure: its stage, file and test, and below it its errors. */
export function failureLines(stage, failures) {
  return failures.flatMap(({ where, name, errors }) => [
    `  ${[stage, where, name].filter((part) => part !== '').join(' · ')}`,
    ...errors.map((error) => `      ${error}`),
  ]);
}
