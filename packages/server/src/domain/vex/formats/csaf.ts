import { groupBy } from '../../group-by.ts'
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
  const flags = firstByProduct(entriesOf(entry.flags))
  const byReason = groupBy(productIds, (id) => stringOf(flags.get(id)?.entry.label) ?? '')
  const details = firstByProduct(statedDetails(entry))
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
    detail: detailOf(details, productIds),
    timestamp,
  }))
}

/** Returns the impacts before the remediations. */
const statedDetails = (entry: Fields): Fields[] => [
  ...entriesOf(entry.threats).filter(({ category }) => category === 'impact'),
  ...entriesOf(entry.remediations),
]

type FirstByProduct = ReadonlyMap<string, { entry: Fields; index: number }>

/** Returns the first entry that names a product, by its id. */
function firstByProduct(entries: readonly Fields[]): FirstByProduct {
  const found = new Map<string, { entry: Fields; index: number }>()
  for (const [index, entry] of entries.entries()) {
    for (const id of stringsOf(entry.product_ids)) if (!found.has(id)) found.set(id, { entry, index })
  }
  return found
}

/** Returns the first detail that is stated for one of the products. */
function detailOf(details: FirstByProduct, productIds: readonly string[]): string | undefined {
  let first: { entry: Fields; index: number } | undefined
  for (const id of productIds) {
    const found = details.get(id)
    if (found && (!first || found.index < first.index)) first = found
  }
  return stringOf(first?.entry.details)
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
    for (const inner of entriesOf(branch.branches)) waiting.push(inner)
  }
  // A product within another one is known by the inner one, which is the package.
  for (const { full_product_name: whole, product_reference: part } of entriesOf(tree.relationships)) {
    const id = stringOf(fieldsOf(whole).product_id)
    const name = names.get(stringOf(part) ?? '')
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  return names
}
