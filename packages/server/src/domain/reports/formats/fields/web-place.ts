/**
 * Splits an address into the fields of a location of dynamic scanning. A text that is no web address, such as a host with a
 * port, is the path.
 */
export function webPlace(address: string): { hostname?: string; path: string } {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return { path: address }
  const { origin, pathname } = new URL(address)
  return { hostname: origin, path: pathname }
}
