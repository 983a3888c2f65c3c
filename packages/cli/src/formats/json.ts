import { writeRule } from '../gate/policy.ts'
import { safeJson } from '../safe-text.ts'
import { gateFailures, type UploadResult } from '../upload/upload-result.ts'

/** Writes everything that is known about an upload as one JSON object. */
export function writeJson(result: UploadResult): string {
  const { url, project, ref, commit, ci, reports, comparison, lists, gate, ...rest } = result
  const value = {
    server: url,
    project,
    project_created: rest.isProjectCreated,
    ref,
    commit: commit ?? null,
    ci: ci?.system ?? null,
    dry_run: rest.isDryRun,
    imports: reports.map(({ file, import: { against: _, samples: __, ...done } }) => ({ file, ...done })),
    rejected: rest.rejected,
    against: comparison,
    findings: { new: lists.new, fixed: lists.fixed, known: lists.known, complete: lists.isComplete },
    gate: gate
      ? {
          policy: gate.policy.map(writeRule).join(','),
          passed: gateFailures(result).length === 0,
          violations: gate.violations.map(({ rule, count }) => ({ rule: writeRule(rule), count })),
        }
      : null,
  }
  return `${safeJson(value)}\n`
}
