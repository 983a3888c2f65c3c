import type { Schemas } from '@alcove/client'
import { Badge, type Tone } from '../../components/badge.tsx'
import { formatCount } from '../../components/format.ts'
import { texts } from './texts.ts'

type Import = Schemas['Import']

const states: Record<string, [label: string, tone: Tone]> = {
  waiting: [texts.queued, 'info'],
  running: [texts.running, 'info'],
  done: [texts.done, 'success'],
  failed: [texts.failed, 'danger'],
}

export function ImportState({ report }: { report: Import }) {
  const [label, tone] = states[report.status] ?? [report.status, 'neutral']
  if (isPromoting(report))
    return <Badge tone={tone}>{texts.creatingVulnerabilities(formatCount(report.findings.promoted))}</Badge>
  if (report.status === 'running' && report.file_size > 0) {
    const percent = Math.floor((report.read_bytes / report.file_size) * 100)
    return <Badge tone={tone}>{texts.runningMin(Math.min(percent, 99))}</Badge>
  }
  if (report.absences.status === 'held') return <Badge tone="warning">{texts.absencesOnHold}</Badge>
  if (report.unchanged) return <Badge>{texts.noChanges}</Badge>
  return <Badge tone={tone}>{label}</Badge>
}

/** Returns true when the findings are imported and vulnerabilities are still being created from them. */
export function isPromoting({ status, shown_at }: Pick<Import, 'status' | 'shown_at'>): boolean {
  return status === 'running' && shown_at !== null
}

export function isUnderWay(report: Pick<Import, 'status'> | undefined): boolean {
  return report?.status === 'waiting' || report?.status === 'running'
}
