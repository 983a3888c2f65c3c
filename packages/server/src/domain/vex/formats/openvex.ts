import { entriesOf, type Fields, fieldsOf, stringOf, stringsOf, timeOf } from '../json.ts'
import { reasonOf, type VexDocument, type VexStatement, vexStatuses } from '../statement.ts'

export const isOpenVex = (root: Fields): boolean => stringOf(root['@context'])?.includes('openvex') ?? false

/** Reads an OpenVEX document. Statements without a known status are left out. */
export function readOpenVex(root: Fields): VexDocument {
  const statements = entriesOf(root.statements).flatMap((entry, index): VexStatement[] => {
    const status = vexStatuses.find((status) => status === entry.status)
    if (!status) return []
    const products = entriesOf(entry.products)
    const justification = stringOf(entry.justification)
    return [
      {
        pointer: `/statements/${index}`,
        about: stringOf(entry['@id']),
        ids: idsOf(entry.vulnerability),
        components: products.flatMap(({ subcomponents }) => entriesOf(subcomponents).flatMap(namesOf)),
        products: products.flatMap(namesOf),
        status,
        dismissalReason: reasonOf(justification),
        justification,
        detail: stringOf(entry.impact_statement) ?? stringOf(entry.action_statement) ?? stringOf(entry.status_notes),
        timestamp: timeOf(entry.last_updated, entry.timestamp, root.last_updated, root.timestamp),
      },
    ]
  })
  return { format: 'openvex', id: stringOf(root['@id']), statements }
}

/** The oldest version of OpenVEX has a text. */
function idsOf(vulnerability: unknown): string[] {
  const { '@id': address, name, aliases } = fieldsOf(vulnerability)
  const last = stringOf(address)?.split('/').at(-1)
  return [stringOf(vulnerability), stringOf(name), last, ...stringsOf(aliases)].filter((id) => id !== undefined)
}

const namesOf = (product: Fields): string[] =>
  [stringOf(fieldsOf(product.identifiers).purl) ?? stringOf(product['@id'])].filter((name) => name !== undefined)
