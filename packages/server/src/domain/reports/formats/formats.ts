import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType } from '../../findings/scales.ts'
import { bandit } from './bandit/bandit.ts'
import { burp } from './burp/burp.ts'
import { checkov } from './checkov/checkov.ts'
import { cyclonedx } from './cyclonedx/cyclonedx.ts'
import { dependencyCheck } from './dependency-check/dependency-check.ts'
import { objectOf } from './fields/json-fields.ts'
import { genericFormat } from './generic/generic.ts'
import type { Mapping } from './generic/mapping.ts'
import { gitlab } from './gitlab/gitlab.ts'
import { gitleaks } from './gitleaks/gitleaks.ts'
import { grype } from './grype/grype.ts'
import { npmAudit } from './npm-audit/npm-audit.ts'
import { nuclei } from './nuclei/nuclei.ts'
import { osvScanner } from './osv-scanner/osv-scanner.ts'
import type { ReportFormat } from './report-format.ts'
import { sarif } from './sarif/sarif.ts'
import { semgrep } from './semgrep/semgrep.ts'
import { snyk } from './snyk/snyk.ts'
import { spdx } from './spdx/spdx.ts'
import { trivy } from './trivy/trivy.ts'
import { readable, unsupportedDocument } from './unsupported.ts'
import { zap } from './zap/zap.ts'

/** Supported formats, in the order of detection: the most distinctive first. */
export const formats: readonly ReportFormat[] = [
  cyclonedx,
  spdx,
  sarif,
  trivy,
  grype,
  bandit,
  semgrep,
  osvScanner,
  dependencyCheck,
  npmAudit,
  burp,
  checkov,
  snyk,
  zap,
  nuclei,
  gitleaks,
  genericFormat(),
  gitlab,
]

/** Detects the format of a document by its content. A report with a mapping is generic. */
export function formatOf(
  root: unknown,
  { reportType, mapping }: { reportType?: ReportType | undefined; mapping?: Mapping | undefined },
): ReportFormat | undefined {
  if (mapping) return genericFormat(mapping)
  // gitleaks writes null for no findings, but so do failed scripts; only the declared report type makes it a report.
  if (root === null && reportType === 'secret_detection') return gitleaks
  if (unsupportedDocument(root)) return undefined
  return formats.find(({ recognises }) => recognises(root))
}

export function unknownFormat(root: unknown): ReportProblem {
  const known = unsupportedDocument(root)
  if (known) return known
  const message = `This is no report of a known format: it is ${describe(root)}. What can be read: ${readable}.`
  return { type: 'Format', message, pointer: '' }
}

function describe(root: unknown): string {
  if (root === null) {
    return 'the word null, which gitleaks writes when it finds nothing; if that is so, send report_type=secret_detection'
  }
  if (Array.isArray(root)) return `a list of ${describeElement(root[0])}`
  const object = objectOf(root)
  return object ? `an object with ${listKeys(object)}` : `a ${typeof root}`
}

function describeElement(first: unknown): string {
  const object = objectOf(first)
  return object ? `objects with ${listKeys(object)}` : 'something that is no object'
}

const maxShown = 10

function listKeys(object: object): string {
  const keys = Object.keys(object)
  const shown = keys.slice(0, maxShown).map((key) => JSON.stringify(key.slice(0, 40)))
  if (shown.length === 0) return 'no keys'
  return `the keys ${shown.join(', ')}${keys.length > maxShown ? ' and others' : ''}`
}
