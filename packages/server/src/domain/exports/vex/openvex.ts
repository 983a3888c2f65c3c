import { buildPackageUrl } from '../../findings/package-url.ts'
import {
  actionOf,
  impactOf,
  justifications,
  statusOf,
  type VexOrigin,
  type VexRow,
  type VexWriter,
  vexRowOf,
} from './vex-row.ts'

/** Opens an OpenVEX document. A statement has the address of its vulnerability as its id. */
export function openOpenVex(origin: VexOrigin): VexWriter {
  const head = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `${origin.instance}/-/vex/${origin.id}`,
    author: `Alcove at ${origin.instance}`,
    timestamp: origin.now,
    version: 1,
    tooling: 'Alcove',
  }
  return {
    head: () => `${JSON.stringify(head).slice(0, -1)},"statements":[`,
    statement(row) {
      const vex = vexRowOf(row, origin)
      return vex && JSON.stringify(statementOf(vex))
    },
    tail: () => ']}\n',
  }
}

function statementOf(vex: VexRow): object {
  const status = statusOf(vex)
  const [name, ...aliases] = vex.ids
  const justification = vex.dismissalReason ? justifications[vex.dismissalReason] : undefined
  return {
    '@id': vex.address,
    vulnerability: { name, ...(aliases.length > 0 && { aliases }) },
    products: [
      {
        '@id': vex.project,
        subcomponents: [componentOf(vex)],
      },
    ],
    status,
    timestamp: vex.decidedAt,
    // The schema permits one of the two. The words are then a note.
    ...(status === 'not_affected' &&
      (justification ? { justification, status_notes: impactOf(vex) } : { impact_statement: impactOf(vex) })),
    ...(status === 'affected' && { action_statement: actionOf(vex), action_statement_timestamp: vex.decidedAt }),
    ...(status === 'fixed' && vex.comment && { status_notes: vex.comment }),
  }
}

/** Returns a component, which is identified by a URI: without a package URL, by one of the type for all others. */
function componentOf({ component, name, version }: VexRow): object {
  const purl = component.startsWith('pkg:') ? component : genericUrl(name, version)
  return { '@id': purl, identifiers: { purl } }
}

function genericUrl(name: string, version: string | undefined): string {
  const segments = name.split('/').filter((segment) => segment !== '')
  const [last = 'unknown', ...namespace] = segments.reverse()
  const parts = { type: 'generic', namespace: namespace.reverse().join('/') || undefined, name: last, version }
  return buildPackageUrl(parts)?.url ?? `pkg:generic/${encodeURIComponent(name)}`
}
