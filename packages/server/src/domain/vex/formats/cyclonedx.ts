import type { DismissalReason } from '../../findings/scales.ts'
import { entriesOf, type Fields, fieldsOf, stringOf, timeOf } from '../json.ts'
import { reasonOf, type VexDocument, type VexStatement, type VexStatus } from '../statement.ts'

export const isCycloneDx = (root: Fields): boolean => root.bomFormat === 'CycloneDX'

const statuses: Readonly<Record<string, VexStatus>> = {
  resolved: 'fixed',
  resolved_with_pedigree: 'fixed',
  exploitable: 'affected',
  in_triage: 'under_investigation',
  false_positive: 'not_affected',
  not_affected: 'not_affected',
}

/** Reads the analyses of a CycloneDX document. Vulnerabilities without an analysis are left out. */
export function readCycloneDx(root: Fields): VexDocument {
  const names = componentNames(root)
  const product = fieldsOf(fieldsOf(root.metadata).component)
  const products = [stringOf(product.purl) ?? stringOf(product.name)].filter((name) => name !== undefined)
  const statements = entriesOf(root.vulnerabilities).flatMap((entry, index): VexStatement[] => {
    const analysis = fieldsOf(entry.analysis)
    const state = stringOf(analysis.state) ?? ''
    const status = Object.hasOwn(statuses, state) ? statuses[state] : undefined
    if (!status) return []
    const justification = stringOf(analysis.justification)
    return [
      {
        pointer: `/vulnerabilities/${index}`,
        about: stringOf(entry['bom-ref']),
        ids: [entry, ...entriesOf(entry.references)].flatMap(({ id }) => stringOf(id) ?? []),
        components: entriesOf(entry.affects).flatMap(({ ref }) => {
          const text = stringOf(ref)
          return text === undefined ? [] : nameOf(text, names)
        }),
        products,
        status,
        dismissalReason: state === 'false_positive' ? falsePositive : reasonOf(justification),
        justification: state === 'false_positive' ? state : justification,
        detail: stringOf(analysis.detail),
        timestamp: timeOf(analysis.lastUpdated, analysis.firstIssued, fieldsOf(root.metadata).timestamp),
      },
    ]
  })
  return { format: 'cyclonedx', id: stringOf(root.serialNumber), statements }
}

const falsePositive: DismissalReason = 'false_positive'

/** Returns the package URLs of all components by their reference. Components may contain others. */
function componentNames(root: Fields): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const waiting = [fieldsOf(fieldsOf(root.metadata).component), ...entriesOf(root.components)]
  for (let component = waiting.pop(); component; component = waiting.pop()) {
    const ref = stringOf(component['bom-ref'])
    const name = stringOf(component.purl) ?? stringOf(component.name)
    if (ref !== undefined && name !== undefined) names.set(ref, name)
    for (const inner of entriesOf(component.components)) waiting.push(inner)
  }
  return names
}

/** A reference may lead to another document: `urn:cdx:<serial number>/<version>#<reference>`. */
function nameOf(ref: string, names: ReadonlyMap<string, string>): string {
  const known = names.get(ref)
  if (known !== undefined || !ref.startsWith('urn:cdx:')) return known ?? ref
  const inside = ref.slice(ref.indexOf('#') + 1)
  try {
    return decodeURIComponent(inside)
  } catch {
    return inside
  }
}
