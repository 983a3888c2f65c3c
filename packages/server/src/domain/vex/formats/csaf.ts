import { entriesOf, type Fields, fieldsOf, stringOf, stringsOf, timeOf } from '../json.ts'
import { reasonOf, type VexDocument, type VexStatement, type VexStatus } from '../statement.ts'

export const isCsaf = (root: Fields): boolean => stringOf(fieldsOf(root.document).csaf_version) !== undefined

const statuses: Readonly<Record<string, VexStatus>> = {
  known_not_affected: 'not_affected',
  known_affected: 'affected',
  last_affected: 'affected',
  first_affected: 'affected',
  fixed: 'fixed',
  first_fixed: 'fixed',
  under_investigation: 'under_investigation',
}

/** Reads the product statuses of a CSAF document: one statement for each status and justification. */
export function readCsaf(root: Fields): VexDocument {
  const document = fieldsOf(root.document)
  const tracking = fieldsOf(document.tracking)
  const products = productNames(fieldsOf(root.product_tree))
  const statements = entriesOf(root.vulnerabilities).flatMap((entry, index) => {
    const timestamp = timeOf(entry.release_date, tracking.current_release_date)
    return Object.entries(fieldsOf(entry.product_status)).flatMap(([key, ids]): VexStatement[] => {
      const status = Object.hasOwn(statuses, key) ? statuses[key] : undefined
      const pointer = `/vulnerabilities/${index}/product_status/${key}`
      return status ? statementsOf(entry, { pointer, status, productIds: stringsOf(ids), products, timestamp }) : []
    })
  })
  return { format: 'csaf', id: stringOf(tracking.id), statements }
}

interface Status {
  pointer: string
  status: VexStatus
  productIds: readonly string[]
  products: ReadonlyMap<string, string>
  timestamp: string | undefined
}

/** Products of one status may have different justifications. */
function statementsOf(entry: Fields, { pointer, status, productIds, products, timestamp }: Status): VexStatement[] {
  const byReason = new Map<string, string[]>()
  for (const id of productIds) {
    const flag = entriesOf(entry.flags).find(({ product_ids: ids }) => stringsOf(ids).includes(id))
    const label = stringOf(flag?.label) ?? ''
    byReason.set(label, [...(byReason.get(label) ?? []), id])
  }
  const ids = entriesOf(entry.ids)
  const own = ids.find(({ system_name: name }) => name === 'Alcove')
  return [...byReason].map(([label, productIds]) => ({
    pointer,
    about: stringOf(own?.text),
    ids: [stringOf(entry.cve), ...ids.map((id) => (id === own ? undefined : stringOf(id.text)))].filter(
      (id) => id !== undefined,
    ),
    components: productIds.map((id) => products.get(id) ?? id),
    products: [],
    status,
    dismissalReason: reasonOf(label),
    justification: label || undefined,
    detail: detailOf(entry, productIds),
    timestamp,
  }))
}

/** Returns the impact or the remediation that is stated for one of the products. */
function detailOf(entry: Fields, productIds: readonly string[]): string | undefined {
  const stated = [
    ...entriesOf(entry.threats).filter(({ category }) => category === 'impact'),
    ...entriesOf(entry.remediations),
  ]
  const found = stated.find(({ product_ids: ids }) => stringsOf(ids).some((id) => productIds.includes(id)))
  return stringOf(found?.details)
}

/** Returns the package URLs, or else the names, of all products by their id. */
function productNames(tree: Fields): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const add = (product: Fields) => {
    const id = stringOf(product.product_id)
    const name = stringOf(fieldsOf(product.product_identification_helper).purl) ?? stringOf(product.name)
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  for (const product of entriesOf(tree.full_product_names)) add(product)
  const waiting = entriesOf(tree.branches)
  for (let branch = waiting.pop(); branch; branch = waiting.pop()) {
    add(fieldsOf(branch.product))
    waiting.push(...entriesOf(branch.branches))
  }
  // A product within another one is known by the inner one, which is the package.
  for (const { full_product_name: whole, product_reference: part } of entriesOf(tree.relationships)) {
    const id = stringOf(fieldsOf(whole).product_id)
    const name = names.get(stringOf(part) ?? '')
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  return names
}
