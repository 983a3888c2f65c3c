import { createHash } from 'node:crypto'
import { version } from '../../../platform/version.ts'
import type { DismissalReason } from '../../findings/scales.ts'
import { actionOf, impactOf, statusOf, type VexOrigin, type VexRow, type VexWriter, vexRowOf } from './vex-row.ts'

/**
 * Opens a CycloneDX document with the analyses of vulnerabilities. Its components are collected until the end. A
 * vulnerability has its address as the reference.
 */
export function openCycloneDx(origin: VexOrigin): VexWriter {
  const components = new Map<string, object>()
  const head = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf(origin),
    version: 1,
    metadata: {
      timestamp: origin.now,
      tools: { components: [{ type: 'application', name: 'Alcove', version }] },
      component: { type: 'application', 'bom-ref': `${origin.instance}/-/vex/${origin.id}`, name: origin.title },
    },
  }
  return {
    head: () => `${JSON.stringify(head).slice(0, -1)},"vulnerabilities":[`,
    statement(row) {
      const vex = vexRowOf(row, origin)
      if (!vex) return undefined
      const { component, name, version } = vex
      const purl = component.startsWith('pkg:') ? component : undefined
      const ref = purl ?? `${name}@${version ?? ''}`
      if (!components.has(ref)) {
        components.set(ref, {
          type: 'library',
          'bom-ref': ref,
          name,
          ...(version && { version }),
          ...(purl && { purl }),
        })
      }
      return JSON.stringify(vulnerabilityOf(vex, ref))
    },
    tail: () => `],"components":${JSON.stringify([...components.values()])}}\n`,
  }
}

/** Derives a UUID from the export, so that a repeated job writes the same file. */
function serialNumberOf({ instance, id }: VexOrigin): string {
  const hex = createHash('sha256').update(`${instance}/-/vex/${id}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return `urn:uuid:${parts.join('-')}`
}

function vulnerabilityOf(vex: VexRow, ref: string): object {
  const [id, ...others] = vex.ids
  return {
    'bom-ref': vex.address,
    id,
    ...(others.length > 0 && { references: others.map((id) => ({ id, source: { name: sourceOf(id) } })) }),
    analysis: analysisOf(vex),
    affects: [{ ref }],
  }
}

const sourceOf = (id: string): string => id.split('-', 1)[0]?.toUpperCase() ?? id

function analysisOf(vex: VexRow): object {
  const status = statusOf(vex)
  const { dismissalReason, decidedAt, comment } = vex
  const times = { firstIssued: decidedAt, lastUpdated: decidedAt }
  if (status === 'fixed') return { state: 'resolved', ...(comment && { detail: comment }), ...times }
  if (status === 'under_investigation') return { state: 'in_triage', ...times }
  if (status === 'affected') {
    const response = dismissalReason === 'acceptable_risk' ? ['will_not_fix'] : vex.solution ? ['update'] : undefined
    return { state: 'exploitable', ...(response && { response }), detail: actionOf(vex), ...times }
  }
  if (dismissalReason === 'false_positive') return { state: 'false_positive', detail: impactOf(vex), ...times }
  const justification = dismissalReason ? cycloneDxJustifications[dismissalReason] : undefined
  return { state: 'not_affected', ...(justification && { justification }), detail: impactOf(vex), ...times }
}

const cycloneDxJustifications: Readonly<Partial<Record<DismissalReason, string>>> = {
  mitigating_control: 'protected_by_mitigating_control',
  used_in_tests: 'requires_environment',
  not_applicable: 'code_not_reachable',
}
