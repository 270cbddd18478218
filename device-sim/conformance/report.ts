// The outcome of a run as text for people, as JSON, and as JUnit for CI.
import type { Result } from './run-checks.ts';

export interface Report {
  readonly lockName: string;
  readonly deviceId: string;
  /** As the hello says it. */
  readonly model: string;
  readonly date: string;
  readonly results: readonly Result[];
  /** What could not be taken off or put back. */
  readonly left: readonly string[];
}

const words = { held: 'held', broken: 'BROKEN', 'not-tried': 'not tried' } as const;

function countOf({ results }: Report, word: keyof typeof words): number {
  return results.filter(({ verdict }) => verdict.verdict === word).length;
}

/** Whether no rule is broken. */
export function isClean(report: Report): boolean {
  return countOf(report, 'broken') === 0;
}

/** One result, of one line or three. */
export function resultText({ check, verdict }: Result): string {
  const first = `${words[verdict.verdict].padEnd(9)}  ${check.rule.padEnd(19)}  ${check.name.padEnd(24)}  ${check.title}`;
  if (verdict.verdict === 'held') return first;
  if (verdict.verdict === 'not-tried') return `${first}\n           why:  ${verdict.why}`;
  return `${first}\n           came: ${verdict.came}\n           due:  ${verdict.due}`;
}

export function summaryText(report: Report): string {
  const counts = `${countOf(report, 'held')} held, ${countOf(report, 'broken')} broken, ${countOf(report, 'not-tried')} not tried`;
  return [`${report.lockName} (${report.deviceId}, ${report.model}): ${counts}`, ...report.left].join('\n');
}

export function jsonReport(report: Report): string {
  const { results, ...rest } = report;
  const counts = { held: countOf(report, 'held'), broken: countOf(report, 'broken'), notTried: countOf(report, 'not-tried') };
  const checks = results.map(({ check: { name, rule, title }, verdict, seconds }) => ({ name, rule, title, ...verdict, seconds }));
  return `${JSON.stringify({ ...rest, ...counts, checks }, undefined, 2)}\n`;
}

export function junitReport(report: Report): string {
  const cases = report.results.map(({ check, verdict, seconds }) => {
    const start = `    <testcase classname="${inXml(check.rule)}" name="${inXml(`${check.name}: ${check.title}`)}" time="${seconds}"`;
    if (verdict.verdict === 'held') return `${start}/>`;
    const inner =
      verdict.verdict === 'broken'
        ? `<failure message="${inXml(verdict.came)}">due: ${inXml(verdict.due)}</failure>`
        : `<skipped message="${inXml(verdict.why)}"/>`;
    return `${start}>${inner}</testcase>`;
  });
  const { results } = report;
  const counts = `tests="${results.length}" failures="${countOf(report, 'broken')}" skipped="${countOf(report, 'not-tried')}"`;
  const suite = `  <testsuite name="${inXml(`${report.lockName} (${report.deviceId})`)}" ${counts} timestamp="${report.date}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', suite, ...cases, '  </testsuite>', '</testsuites>', ''].join('\n');
}

function inXml(text: string): string {
  const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // Control characters have no place in XML 1.0, however written.
  return text.replaceAll(/[&<>"]/g, (sign) => escaped[sign] ?? '').replaceAll(/\p{Cc}/gu, ' ');
}
