import { deflateRawSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { findBlocking, findExpensive, type Subject } from '../testing/cost.ts'
import { entry, sastReport } from '../testing/reports/reports.ts'
import { extensionOf, sanitizeFilename } from './files/filename.ts'
import { searchTerms } from './findings/list/search-terms.ts'
import { renderMarkdown } from './markdown/render.ts'
import { closeRendering, maxInlineLength, renderPart } from './markdown/rendering.ts'
import { sanitise } from './markdown/sanitise.ts'
import { loadRatings } from './reports/formats/fields/cvss-score.ts'
import { webUrl } from './reports/formats/fields/links.ts'
import { decodedUri } from './reports/formats/fields/uri.ts'
import { countValues, maxInlineBytes, openReading } from './reports/reader/import-reading.ts'
import { parseReportJson } from './reports/reader/json.ts'
import { readWholeReport } from './reports/reader/read-report.ts'
import { closeReading } from './reports/reader/reading-thread.ts'
import { formOf, reasonsOf } from './topics/merges/likeness.ts'
import { parseText } from './topics/vocabulary/parse-text.ts'
import { closeParsing, maxLengthInline, parseAside } from './topics/vocabulary/parsing.ts'

const filled = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
const around = (before: string, unit: string, after: string) => (size: number) =>
  before + filled(unit)(size - before.length - after.length) + after

const words = filled('The quay is closed from ten to four, ask the harbour master. ')
const rows = (entry: (index: number) => object) => (size: number) => {
  const entries: object[] = []
  for (let length = 0; length < size; length += 120) entries.push(entry(entries.length))
  return JSON.stringify(entries)
}
const item = (index: number) => ({ name: `flaw ${index}`, line: index, text: 'An ordinary description of a flaw.' })

const markdown: Subject<string> = {
  run: (text) => renderMarkdown(text),
  plain: words,
  hostile: {
    'rows of one letter in a wide table': around(`${'|a'.repeat(40)}|\n${'|-'.repeat(40)}|\n`, 'a\n', ''),
    'a wide table': (size) => [filled('|a')(size / 3), filled('|-')(size / 3), filled('|b')(size / 3)].join('\n'),
    'emphasis that opens': filled('*a **b _c '),
    'emphasis in emphasis': (size) => '*a '.repeat(size / 6) + ' a*'.repeat(size / 6),
    headings: filled('# a\n'),
    definitions: filled('[a]: /b\n'),
    'brackets that open': filled('['),
    'images that open': filled('!['),
    'links in links': filled('[a](<b'),
    backticks: filled('` `` '),
    quotes: filled('> a\n\n'),
    lists: filled('- '),
    'list items': filled('-\n'),
    entities: filled('&amp;&#x3c;'),
    addresses: filled('http://a.b/[('),
    'mail addresses': filled('a@b.cc '),
    tags: filled('<a b="'),
    comments: filled('<!--'),
    footnotes: filled('[^a]\n\n[^a]: x\n\n'),
    colons: filled(':a: '),
  },
}

const html: Subject<string> = {
  run: (text) => sanitise(text, {}),
  plain: words,
  hostile: {
    'tags that open': filled('<b>'),
    'tags that end': filled('</i>'),
    attributes: around('<a ', 'b=c ', '>'),
    'attributes that do not end': filled('<a b="'),
    comments: filled('<!-- -'),
    'a long class': around('<p class="', 'gfm ', '">'),
    'a long address': around('<a href="', 'a<!---->', '">'),
    entities: filled('&lt'),
  },
}

const yaml: Subject<string> = {
  run: (text) => parseText(text, 'yaml'),
  plain: filled('- name: quay\n  title: Quay\n'),
  hostile: {
    'flow lists in each other': filled('['),
    'flow maps in each other': filled('{a: '),
    'keys in each other': filled('a: '),
    'lists in each other': filled('- '),
    'explicit keys': filled('? '),
    'ever deeper maps': (size) => {
      let text = ''
      for (let depth = 0; text.length < size; depth = (depth + 1) % 90) text += `${' '.repeat(depth)}a:\n`
      return text.slice(0, size)
    },
    anchors: filled('- &a b\n- *a\n'),
    quotes: filled('- "\n'),
    tags: filled('- !a b\n'),
    comments: filled('#\n'),
    'block texts': filled('- |\n  a\n'),
    'spaces at the end': filled('- a                \n'),
  },
}

const reportJson: Subject<string> = {
  run: (text) => parseReportJson(text),
  plain: rows(item),
  hostile: {
    'digits almost in a row': around('["', `${'7'.repeat(299)}.`, '"]'),
    'digits with gaps': around('["', '77777777 ', '"]'),
    exponents: around('[0', ',1e5', ']'),
    'numbers without end': around('[', '1'.repeat(1000), ']'),
    'lines with spaces': around('["', '\\"start_line\\" : ', '"]'),
    'odd line numbers': around('[{}', ',{"start_line":1.00}', ''),
    escapes: around('["', '\\u0000', '"]'),
    surrogates: around('["', '\\ud800', '"]'),
    'lists in each other': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
    'empty objects': around('[{}', ',{}', ''),
    'a text that does not end': around('["', 'a', ''),
  },
}

async function* chunks(text: string | Buffer) {
  yield Buffer.from(text)
}
const readReport = (text: string) => readWholeReport(() => chunks(text), { projectId: 1 })
const gitlab = (entries: string) => `{"version":"15.2.1","scan":{"type":"sast"},"vulnerabilities":[${entries}]}`
const inReport = (entry: string, make: (entries: string) => string) => (size: number) =>
  make(Array.from({ length: Math.ceil(size / (entry.length + 1)) }, () => entry).join(','))

const reports: Subject<string> = {
  run: readReport,
  plain: inReport(
    '{"name":"Flaw","severity":"High","location":{"file":"a.ts","start_line":1},"identifiers":[{"type":"a","name":"b","value":"c"}]}',
    gitlab,
  ),
  hostile: {
    'entries that are nothing': inReport('0', gitlab),
    'empty entries': inReport('{}', gitlab),
    'entries in each other': (size) => gitlab('['.repeat(size / 2) + ']'.repeat(size / 2)),
    'keys before the entries': (size) => `{${filled('"a":0,')(size)}"vulnerabilities":[]}`,
    'quotes and backslashes': around('{"version":"', '\\"', '"}'),
    'a file that does not end': around('{"vulnerabilities":[', '{"a":"', ''),
    'results of SARIF': inReport('{}', (entries) => `{"version":"2.1.0","runs":[{"results":[${entries}]}]}`),
    'runs of SARIF': inReport('{"tool":{}}', (entries) => `{"version":"2.1.0","runs":[${entries}]}`),
    'results of two tools in SARIF': (size) => {
      const run = (name: string, results: string) => `{"tool":{"driver":{"name":"${name}"}},"results":[${results}]}`
      const log = (entries: string) => `{"version":"2.1.0","runs":[${run('a', entries)},${run('b', entries)}]}`
      return inReport('{}', log)(size / 2)
    },
    'vulnerabilities of one result of Trivy': inReport(
      '{}',
      (entries) => `{"SchemaVersion":2,"Results":[{"Target":"a","Vulnerabilities":[${entries}]}]}`,
    ),
    'results of Semgrep': inReport('{}', (entries) => `{"version":"1","results":[${entries}],"errors":[]}`),
    'matches of Grype': inReport('{}', (entries) => `{"matches":[${entries}],"source":{},"descriptor":{}}`),
    'records of one package of OSV-Scanner': inReport(
      '{"id":"a"}',
      (entries) =>
        `{"results":[{"source":{"path":"a"},"packages":[{"package":{},"groups":[{"ids":["a"]}],"vulnerabilities":[${entries}]}]}]}`,
    ),
    'groups of one package of OSV-Scanner': inReport(
      '{"ids":["a"]}',
      (entries) =>
        `{"results":[{"source":{"path":"a"},"packages":[{"package":{},"groups":[${entries}],"vulnerabilities":[{"id":"a"}]}]}]}`,
    ),
    'results of Bandit': inReport('{}', (entries) => `{"generated_at":"","metrics":{},"results":[${entries}]}`),
    'errors of Bandit': inReport(
      '{"filename":"a"}',
      (entries) => `{"generated_at":"","metrics":{},"results":[],"errors":[${entries}]}`,
    ),
    'projects of Snyk': inReport('{"vulnerabilities":[{}],"packageManager":""}', (entries) => `[${entries}]`),
    'runs of Checkov': inReport('{"check_type":"","results":{"failed_checks":[{}]}}', (entries) => `[${entries}]`),
    'failed checks of Checkov': inReport(
      '{}',
      (entries) => `{"check_type":"","results":{"failed_checks":[${entries}],"parsing_errors":["a"]}}`,
    ),
    'alerts of ZAP': inReport('{}', (entries) => `{"@version":"","site":[{"alerts":[${entries}]}]}`),
    'instances of one alert of ZAP': inReport(
      '{}',
      (entries) => `{"@version":"","site":[{"alerts":[{"pluginid":"1","instances":[${entries}]}]}]}`,
    ),
    'packages of npm audit': inReport('"a":{}', (entries) => `{"auditReportVersion":2,"vulnerabilities":{${entries}}}`),
    'advisories of one package of npm audit': inReport(
      '{}',
      (entries) => `{"auditReportVersion":2,"vulnerabilities":{"a":{"via":[${entries}]}}}`,
    ),
    'lines of JSON': filled('{"type":"auditAdvisory"}\n'),
    'a line of JSON after blanks': around('{}\n', ' \n', '{}'),
    'matches of Nuclei': inReport('{"template-id":"a"}', (entries) => `[${entries}]`),
    'vulnerabilities of one file of Dependency-Check': inReport(
      '{}',
      (entries) => `{"reportSchema":"","scanInfo":{},"dependencies":[{"fileName":"a","vulnerabilities":[${entries}]}]}`,
    ),
    'results of Trivy': inReport('{}', (entries) => `{"SchemaVersion":2,"Results":[${entries}]}`),
    'components of CycloneDX': inReport(
      '{"bom-ref":"a","components":[]}',
      (entries) => `{"bomFormat":"CycloneDX","specVersion":"1.5","components":[${entries}],"vulnerabilities":[]}`,
    ),
    'leaks of gitleaks': inReport('{"RuleID":"a"}', (entries) => `[${entries}]`),
    spaces: around('{"vulnerabilities":[', ' ', ']}'),
    'tags of XML': filled('<a>'),
    'rows of a table': (size) => `title,severity\n${filled('a,low\n')(size)}`,
    'quotes in a table': (size) => `title,severity\n"${filled('""')(size)}",low\n`,
    'blank lines in a table': (size) => `title,severity\n${filled('\n')(size)}a,low\n`,
    'columns of a table': filled('a,'),
    'issues of Burp': (size) => `<issues burpVersion="1">${filled('<issue/>')(size)}</issues>`,
    'elements of one issue of Burp': (size) =>
      `<issues burpVersion="1"><issue>${filled('<a>b</a>')(size)}</issue></issues>`,
    'attributes of Burp': (size) => `<issues burpVersion="1" ${filled('a="" ')(size)}/>`,
    'HTML in an issue of Burp': (size) =>
      `<issues burpVersion="1"><issue><type>1</type><issueDetail><![CDATA[${filled('<p><li>')(size)}]]></issueDetail></issue></issues>`,
    'an XML file that does not begin': filled('<issues '),
    'lines of CSV': filled('a,b\n'),
  },
}

const rate = loadRatings()
const texts: Subject<string> = {
  run(text) {
    sanitizeFilename(text)
    extensionOf(text)
    searchTerms(text)
    webUrl(text)
    decodedUri(text)
    rate(text)
    formOf(text)
  },
  plain: words,
  hostile: {
    dots: filled('.'),
    'dots and letters': filled('.a'),
    slashes: around('a', '/', 'b'),
    backslashes: filled('\\'),
    spaces: around('a', ' ', 'b'),
    'percent signs': filled('%'),
    'encoded letters': filled('%41'),
    dashes: around('a', '-', 'b'),
    'a long vector': around('CVSS:3.1', '/AV:N', ''),
    'a long address': around('https://', 'a:@/', ''),
    surrogates: filled('\ud800'),
    marks: filled('e\u0301'),
  },
}

// A constant difference in cost between texts is acceptable; superlinear growth is not.
const limits = { size: 4096, maxRatio: 100 }
describe('parsing any text costs about as much as ordinary text, in proportion to its length', {
  timeout: 120_000,
}, () => {
  test('as Markdown', async () => expect(await findExpensive(markdown, limits)).toEqual([]))
  test('as HTML', async () => expect(await findExpensive(html, limits)).toEqual([]))
  test('as YAML', async () => expect(await findExpensive(yaml, limits)).toEqual([]))
  test('as the JSON of a report', async () => expect(await findExpensive(reportJson, limits)).toEqual([]))
  test('as a report', async () => expect(await findExpensive(reports, limits)).toEqual([]))
  test('as a name, address, vector or search', async () => expect(await findExpensive(texts, limits)).toEqual([]))
  test('as a pair of topic names', async () => {
    const pairs: Subject<string> = { ...texts, run: (text) => reasonsOf(formOf(text), formOf(`${text}a`)) }
    expect(await findExpensive(pairs, { size: 255, maxRatio: 60 })).toEqual([])
  })
})

afterAll(() => Promise.all([closeReading(), closeRendering(), closeParsing()]))

/** Reads a report as an import does: all of it here, or most of it on a worker thread. */
const importing = (strict: boolean): Subject<string> => ({
  ...reports,
  async run(text) {
    const bytes = Buffer.from(text)
    const read = await openReading(() => chunks(bytes), bytes.length, { projectId: 1, strict })
    if ('problems' in read) return
    for await (const batch of read.reading.batches()) expect(batch).not.toEqual([])
    read.reading.outcome()
  },
})

describe('no text blocks the event loop for more than 20 ms', { timeout: 120_000 }, () => {
  test.each([
    [64 * 1024, false],
    [maxInlineBytes, false],
    [maxInlineBytes, true],
  ])('as a report of %i bytes, strict: %s', { timeout: 180_000 }, async (size, strict) => {
    expect(await findBlocking(importing(strict), size)).toEqual([])
  })

  test.each([64 * 1024, maxLengthInline])('as a vocabulary of %i characters', async (size) => {
    expect(await findBlocking({ ...yaml, run: (text) => parseAside(text, 'yaml') }, size)).toEqual([])
  })

  test('as Markdown that is rendered on the main thread', async () => {
    const subject = { ...markdown, run: (text: string) => renderPart(text, 'a project') }
    expect(await findBlocking(subject, maxInlineLength)).toEqual([])
  })

  test('as a name, address, vector or search', async () => {
    expect(await findBlocking(texts)).toEqual([])
  })
})

test('a table cannot have many more cells than its text', () => {
  const table = `${'|a'.repeat(40)}|\n${'|-'.repeat(40)}|\n${'a\n'.repeat(2000)}`
  expect(renderMarkdown(table)).toBe(`<pre>${table}</pre>\n`)
  const ordinary = `|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(500)}`
  expect(renderMarkdown(ordinary).match(/<td>/g)).toHaveLength(1500)
})

test('the values of a report are counted before it is read on the main thread', async () => {
  expect(await countValues(() => chunks(`{"results":[${'0,'.repeat(1000)}0]}`))).toBe(1000)
  const ordinary = JSON.stringify(sastReport(Array.from({ length: 20 }, (_, line) => entry({ line: line + 1 }))))
  expect(ordinary.length).toBeGreaterThan(maxInlineBytes / 2)
  expect(await countValues(() => chunks(ordinary))).toBeLessThan(600)
})

test('a compressed report is never read on the main thread', async () => {
  const { isGzip } = await import('./reports/reader/source.ts')
  expect(await isGzip(() => chunks(gzipSync('{}')))).toBe(true)
  expect(await isGzip(() => chunks(deflateRawSync('{}')))).toBe(false)
  expect(await isGzip(() => chunks(''))).toBe(false)
})

test.each(['['.repeat(200_000), 'a: '.repeat(200_000), '- '.repeat(200_000), '{a: '.repeat(100_000)])(
  'YAML that is nested too deeply is rejected without recursion',
  (text) => expect(parseText(text, 'yaml')).toEqual({ problem: 'is nested too deep' }),
)
