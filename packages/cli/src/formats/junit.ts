import { type ListedFinding, nameOf, placeOf, severityOf } from '../findings.ts'
import { isCounted, type Rule } from '../gate/policy.ts'
import { escapeXml, webAddress } from '../safe-text.ts'
import { incompleteness, missingReports, type UploadResult } from '../upload/upload-result.ts'

interface Case {
  finding: ListedFinding
  kind: 'new' | 'known'
  isFailure: boolean
}

/**
 * Writes a result as JUnit XML: one test case for each finding that is present, and an error for
 * each report that was not imported. Findings that the policy counts are failures; without a policy, new findings are.
 */
export function writeJunit(result: UploadResult): string {
  const { project, ref, lists, gate } = result
  const hint = incompleteness(result)
  const missing = missingReports(result).map(writeMissing)
  const cases = [
    ...lists.new.map((finding) => caseOf(finding, 'new', gate?.policy)),
    ...lists.known.map((finding) => caseOf(finding, 'known', gate?.policy)),
  ]
  const failures = cases.filter(({ isFailure }) => isFailure).length
  // CI systems report a file without test cases as an error.
  const written = [...missing, ...cases.map(writeCase)]
  const shown = written.length > 0 ? written : ['    <testcase classname="alcove" name="No findings" time="0"/>']
  const counts = `tests="${shown.length}" failures="${failures}" errors="${missing.length}"`
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Alcove" ${counts} time="0">`,
    `  <testsuite name="${escapeXml(`${project} ${ref}`)}" ${counts} skipped="0" time="0">`,
    ...shown,
    ...(hint ? [`    <system-out>${escapeXml(hint)}</system-out>`] : []),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`
}

/** Writes a report that was not imported, so its findings are not known. */
function writeMissing({ file, message }: { file: string; message: string }): string {
  return [
    `    <testcase classname="alcove" name="${escapeXml(file)}" time="0">`,
    `      <error message="${escapeXml(message)}" type="report"/>`,
    '    </testcase>',
  ].join('\n')
}

function caseOf(finding: ListedFinding, kind: Case['kind'], policy: readonly Rule[] | undefined): Case {
  const isFailure = policy ? isCounted(policy, kind, severityOf(finding)) : kind === 'new'
  return { finding, kind, isFailure }
}

function writeCase({ finding, kind, isFailure }: Case): string {
  const { path, line, text } = placeOf(finding)
  const place = [path && `file="${escapeXml(path)}"`, line && `line="${line}"`].filter(Boolean).join(' ')
  const name = `[${severityOf(finding)}] ${nameOf(finding)}${text && ` in ${text}`}`
  const attributes = `classname="${escapeXml(finding.report_type)}" name="${escapeXml(name)}" ${place && `${place} `}time="0"`
  if (!isFailure) return `    <testcase ${attributes}/>`
  const message = `${kind} finding of severity ${severityOf(finding)}: ${nameOf(finding)}`
  const details = [text, finding.solution ?? '', webAddress(finding.web_url) ?? ''].filter((part) => part !== '')
  return [
    `    <testcase ${attributes}>`,
    `      <failure message="${escapeXml(message)}" type="${severityOf(finding)}">${escapeXml(details.join(' · '))}</failure>`,
    '    </testcase>',
  ].join('\n')
}
