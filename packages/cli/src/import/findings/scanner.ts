import { shorten } from './record.ts'

/**
 * Returns the scanner of an imported finding. It is another one than that of reports, so that no report of the same tool
 * makes findings absent that only the product knows.
 */
export function scannerOf(tool: string, product: string): { external_id: string; name: string; vendor: string } {
  const slug = `${product}-${tool}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return { external_id: shorten(`import-${slug}`), name: shorten(`${tool} (${product})`), vendor: product }
}
