import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Returns true for a public address: not one of this machine, of a private, link-local or reserved network, or invalid.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4') && !isOwnAddress(address)
  if (!isIPv6(address)) return false
  const groups = groupsOf(address)
  const inside = embeddedIpv4(groups)
  if (inside !== undefined) return isPublicAddress(inside)
  // Only 2000::/3 is allocated.
  return ((groups[0] ?? 0) & 0xe000) === 0x2000 && !reserved.check(writtenOut(groups), 'ipv6') && !isOwnAddress(address)
}

/** Special-purpose addresses of IANA's registries. */
const reserved = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24], // AS112, which discards queries for private addresses
  ['192.52.193.0', 24], // AMT relays
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['2001::', 23], // Teredo, benchmarks, ORCHID
  ['2001:db8::', 32],
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv6')
}

/** Returns the IPv4 address that an IPv6 address translates to: mapped, compatible, NAT64 or 6to4. */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0] = groups
  const leading = groups.slice(0, 5)
  if (leading.every((group) => group === 0) && (groups[5] === 0xffff || groups[5] === 0)) return dotted(groups.slice(6))
  // ::ffff:0:a.b.c.d, used by SIIT translators.
  if (groups.slice(0, 4).every((group) => group === 0) && groups[4] === 0xffff && groups[5] === 0) {
    return dotted(groups.slice(6))
  }
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) {
    return dotted(groups.slice(6))
  }
  return first === 0x2002 ? dotted([second, third]) : undefined
}

function dotted([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the eight groups of an IPv6 address without its zone. */
function groupsOf(address: string): number[] {
  const [plain = ''] = address.split('%', 1)
  const [head = '', tail] = plain.split('::')
  const front = parse(head)
  const back = tail === undefined ? [] : parse(tail)
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function parse(part: string): number[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return Number.parseInt(group, 16)
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
      return [(a << 8) | b, (c << 8) | d]
    })
}

function writtenOut(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}

/** Returns true for an address of this machine, which would bypass firewalls even if it is public. */
function isOwnAddress(address: string): boolean {
  const [plain = ''] = address.split('%', 1)
  const asked = isIPv6(plain) ? writtenOut(groupsOf(plain)) : plain
  return Object.values(networkInterfaces()).some((found) =>
    found?.some((own) => (own.family === 'IPv6' ? writtenOut(groupsOf(own.address)) : own.address) === asked),
  )
}
