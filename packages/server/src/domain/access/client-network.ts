import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the network that a client is rate limited by: the whole IPv4 address, or the /64 of an IPv6 address, because
 * one client usually controls all addresses of a /64.
 */
export function networkOf(address: string): string {
  // Linear time: it is anchored, and the lookahead runs once.
  const [plain = ''] = address.replace(/^::ffff:(?=[\d.]+$)/i, '').split('%', 1)
  if (isIPv4(plain) || !isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const missing = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = tail === undefined ? left : [...left, ...missing, ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Splits the groups of an IPv6 address. An embedded IPv4 address counts as two groups. */
function groupsOf(text: string): string[] {
  return text.split(':').flatMap((group) => (group === '' ? [] : group.includes('.') ? ['0', '0'] : [group]))
}
