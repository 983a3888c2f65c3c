import { type CodeSample, sampleOf } from './code.ts'

/** Weakness that the code scanner of the demo finds. */
export interface Weakness {
  name: string
  severity: 'Critical' | 'High' | 'Medium' | 'Low' | 'Info'
  cwe: number
  solution: string
}

/** Result of the code scanner, and the rule that it belongs to. */
export interface CodeResult {
  rule: { id: string }
  result: object
}

/** CVSS scores that SARIF has instead of severities. */
const scores = { Critical: '9.4', High: '8.1', Medium: '5.5', Low: '2.5', Info: '0.0' } as const

/** Returns a SARIF result with the code around its line, the way of the data to it, and a fix, where a sample has them. */
export function codeResult(
  { name, severity, cwe, solution }: Weakness,
  { file, line, index }: { file: string; line: number; index: number },
): CodeResult {
  const sample = sampleOf(file.slice(file.lastIndexOf('.') + 1), cwe)
  const artifactLocation = { uri: file }
  const id = `cw-${cwe}-${index}`
  return {
    rule: ruleOf({ id, name, severity, cwe }),
    result: {
      ruleId: id,
      message: { text: `${name} in ${file}. The value reaches this line without a check.` },
      locations: [
        { physicalLocation: { artifactLocation, region: { startLine: line }, ...(sample && context(sample, line)) } },
      ],
      ...(sample && { codeFlows: [{ threadFlows: [{ locations: steps(sample, file, line) }] }] }),
      fixes: [{ description: { text: solution }, artifactChanges: sample ? [change(sample, file, line)] : [] }],
    },
  }
}

function ruleOf({ id, name, severity, cwe }: { id: string } & Omit<Weakness, 'solution'>) {
  return {
    id,
    shortDescription: { text: name },
    helpUri: `https://cwe.mitre.org/data/definitions/${cwe}.html`,
    properties: { 'security-severity': scores[severity], tags: ['security', `external/cwe/cwe-${cwe}`] },
  }
}

/** Returns the log of one scan. */
export function sarifLog(results: readonly CodeResult[]): object {
  const driver = { name: 'Codewatch', organization: 'Sample', semanticVersion: '3.2.0' }
  return {
    version: '2.1.0',
    runs: [{ tool: { driver: { ...driver, rules: results.map(({ rule }) => rule) } }, results: results.map(resultOf) }],
  }
}

const resultOf = ({ result }: CodeResult) => result

const context = ({ lines, sink }: CodeSample, line: number) => ({
  contextRegion: {
    startLine: line - sink,
    endLine: line - sink + lines.length - 1,
    snippet: { text: lines.join('\n') },
  },
})

function steps({ lines, source, sink }: CodeSample, file: string, line: number): object[] {
  const step = (index: number, text: string) => ({
    location: {
      message: { text },
      physicalLocation: {
        artifactLocation: { uri: file },
        region: { startLine: line - sink + index, snippet: { text: lines[index]?.trim() } },
      },
    },
  })
  return [step(source, 'The value comes in'), step(sink, 'It is used without a check')]
}

function change({ sink, fix, lines }: CodeSample, file: string, line: number): object {
  const deletedRegion = { startLine: line, startColumn: 1, endColumn: (lines[sink]?.length ?? 0) + 1 }
  return { artifactLocation: { uri: file }, replacements: [{ deletedRegion, insertedContent: { text: fix } }] }
}
