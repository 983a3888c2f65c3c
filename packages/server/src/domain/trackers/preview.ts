import { type IssueValues, renderIssue } from './template.ts'
import type { IssueTemplates, TrackerKind } from './tracker.ts'
import type { IssueText } from './tracker-issue.ts'
import { assertValidTemplates } from './tracker-validation.ts'

/** Values of an invented vulnerability. */
const exampleValues: IssueValues = {
  title: 'SQL injection in the search for orders',
  severity: 'high',
  state: 'detected',
  report_type: 'sast',
  location: 'src/orders/search.ts:42',
  identifiers: 'CWE-89 (https://cwe.mitre.org/data/definitions/89.html)',
  description: 'The text of the search becomes part of an SQL statement.',
  solution: 'Solution: Pass the text as a parameter.',
  project: 'acme/shop',
  url: 'https://alcove.example.com/acme/shop/-/vulnerabilities/17',
}

/** Returns the issue that these templates make of an invented vulnerability. */
export function previewIssue(kind: TrackerKind, templates: IssueTemplates): IssueText {
  assertValidTemplates(templates)
  return renderIssue(templates, exampleValues, { isMarkdown: kind !== 'jira' })
}
