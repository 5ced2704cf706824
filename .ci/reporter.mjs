// A reporter of Vitest: writes to the file REPORT what failed, each failure with the first line of its message, and then
// the counts in one line. Vitest's own JSON report calls the tests below a broken hook skipped, and leaves out errors
// that no test caught. Both are failures here.
import { writeFileSync } from 'node:fs';

/** Errors as lines for a test, or for what runs outside of one. */
const linesOf = (name, errors) =>
  errors.map(({ message }) => `FAILED ${name}\n    ${String(message).split('\n', 1)[0]}`);

export default class Reporter {
  onTestRunEnd(modules, unhandled) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures = linesOf('outside of the tests', unhandled);
    for (const module of modules) {
      const outside = [module, ...module.children.allSuites()];
      const file = module.relativeModuleId;
      for (const each of outside)
        failures.push(...linesOf(each.fullName ? `${file} > ${each.fullName}` : file, each.errors()));
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'failed') failures.push(...linesOf(`${file} > ${test.fullName}`, errors.slice(0, 1)));
        else counts[state] += 1;
      }
    }
    counts.failed = failures.length;
    const summary = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    writeFileSync(process.env.REPORT, [...failures, summary.join(', '), ''].join('\n'));
  }
}
