import { version } from '../../../platform/version.ts'
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

const productStatuses = {
  not_affected: 'known_not_affected',
  affected: 'known_affected',
  fixed: 'fixed',
  under_investigation: 'under_investigation',
} as const

/**
 * Opens a CSAF 2.0 document of the profile VEX. Its products are collected until the end. The address of a vulnerability is
 * one of its ids.
 */
export function openCsaf(origin: VexOrigin): VexWriter {
  const products = new Map<string, object>()
  const knownCves = new Set<string>()
  const date = origin.now
  const documentOf = (category: string) => ({
    category,
    csaf_version: '2.0',
    title: `Vulnerabilities of ${origin.title}`,
    publisher: { category: 'user', name: 'Alcove', namespace: origin.instance },
    notes: [{ category: 'summary', text: `Triage of ${origin.title}, written by Alcove ${version}.` }],
    tracking: {
      id: `alcove-vex-${origin.id}`,
      status: 'final',
      version: '1',
      initial_release_date: date,
      current_release_date: date,
      revision_history: [{ date, number: '1', summary: 'Exported' }],
      generator: { engine: { name: 'Alcove', version } },
    },
  })
  return {
    // A list of vulnerabilities must not be empty, and the profile VEX requires one.
    head: (hasStatements) =>
      hasStatements
        ? `{"document":${JSON.stringify(documentOf('csaf_vex'))},"vulnerabilities":[`
        : `{"document":${JSON.stringify(documentOf('csaf_base'))}`,
    statement(row) {
      const vex = vexRowOf(row, origin)
      if (!vex) return undefined
      const productId = `${vex.project}#${vex.component}`
      if (!products.has(productId)) products.set(productId, productOf(vex, productId))
      return JSON.stringify(vulnerabilityOf(vex, productId, knownCves))
    },
    tail: (hasStatements) =>
      hasStatements ? `],"product_tree":{"full_product_names":${JSON.stringify([...products.values()])}}}\n` : '}\n',
  }
}

function productOf({ component, name, project }: VexRow, productId: string): object {
  const purl = component.startsWith('pkg:') ? component : undefined
  return {
    product_id: productId,
    name: `${name} in ${project}`,
    ...(purl && { product_identification_helper: { purl } }),
  }
}

/** The standard allows a document to have each CVE in one vulnerability. The others have it as one of their ids. */
function vulnerabilityOf(vex: VexRow, productId: string, knownCves: Set<string>): object {
  const status = statusOf(vex)
  const ids = [...vex.ids]
  const cve = ids.find((id) => /^CVE-\d{4}-\d{4,}$/.test(id) && !knownCves.has(id))
  if (cve) knownCves.add(cve)
  const products = { product_ids: [productId] }
  const label = vex.dismissalReason ? justifications[vex.dismissalReason] : undefined
  return {
    ...(cve && { cve }),
    ids: [
      { system_name: 'Alcove', text: vex.address },
      ...ids.filter((id) => id !== cve).map((id) => ({ system_name: id.split('-', 1)[0] ?? id, text: id })),
    ],
    notes: [{ category: 'description', text: `${vex.ids[0]} in ${vex.name}` }],
    product_status: { [productStatuses[status]]: [productId] },
    release_date: vex.decidedAt,
    ...(status === 'not_affected' && {
      ...(label && { flags: [{ label, ...products }] }),
      threats: [{ category: 'impact', details: impactOf(vex), ...products }],
    }),
    ...(status === 'affected' && {
      remediations: [
        {
          category:
            vex.dismissalReason === 'acceptable_risk'
              ? 'no_fix_planned'
              : vex.solution
                ? 'vendor_fix'
                : 'none_available',
          details: actionOf(vex),
          ...products,
        },
      ],
    }),
  }
}
