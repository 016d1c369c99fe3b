// A reporter of Vitest's that writes what a run came to as JSON, into the file that TEST_OUTCOME names: how many tests
// passed and failed, and each failure, those outside of a test among them (a file that does not load, a hook, an error
// that nobody caught).
import { writeFileSync } from 'node:fs';
import { firstLine } from './failures.mjs';

const lineOf = (error) => firstLine(error.name ? `${error.name}: ${error.message}` : error.message);

/** Made by Vitest, which asks for a default export. */
export default class OutcomeReporter {
  /** Called by Vitest when all tests have ended. */
  onTestRunEnd(modules, unhandledErrors) {
    const failures = [];
    const fail = (where, name, [error]) => {
      if (error !== undefined) failures.push({ where, name, errors: [lineOf(error)] });
    };
    let passed = 0;
    for (const module of modules) {
      const where = module.relativeModuleId ?? module.moduleId;
      fail(where, '', module.errors());
      for (const suite of module.children.allSuites()) fail(where, suite.fullName, suite.errors());
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed')
          fail(where, test.fullName, errors?.length ? errors : [{ message: 'no message' }]);
      }
    }
    for (const error of unhandledErrors) fail('', 'an error that no test caught', [error]);
    writeFileSync(process.env.TEST_OUTCOME, JSON.stringify({ passed, failures }));
  }
}
