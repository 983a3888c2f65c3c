import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { isPublicAddress } from './addresses.ts'

test.for([
  ...['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.1', '100.63.0.1', '100.128.0.1', '11.0.0.1'],
  ...['223.255.255.255', '192.0.1.1', '198.17.0.1', '198.20.0.1'],
  ...['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888', '2001:200::1'],
  ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b::808:808', '2002:808:808::1'],
])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.for([
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '10.0.0.1', '10.255.255.255', '172.16.0.1'],
  ...['172.31.255.255', '192.168.0.1', '169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.1', '192.0.2.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.255.255.250'],
  ...['240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'fc00::1', 'fd12:3456::1'],
  ...['ff02::1', 'ff0e::1', '2001:db8::1', '2001::1', '2001:10::1', '3fff::1', '100::1', '5f00::1', '4000::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe', '::127.0.0.1', '::10.0.0.1'],
  ...[
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2002:a00:1::1',
  ],
  ...['', 'localhost', '1.2.3', '0x7f.1', '1.2.3.4.5', ':::', 'fe80', '12345::'],
])('%j is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test('addresses of this machine are not public', () => {
  for (const found of Object.values(networkInterfaces())) {
    for (const { address } of found ?? []) expect(isPublicAddress(address)).toBe(false)
  }
})

test('the ranges of ipaddr.js are classified in the same way, at their borders and inside', () => {
  const atBorders = [...rangesOf(ipaddr.IPv4, 4), ...rangesOf(ipaddr.IPv6, 16)].flatMap(({ first, last, length }) =>
    [first - 1n, first, first + 1n, (first + last) / 2n, last - 1n, last, last + 1n].flatMap((number) =>
      number < 0n || number >= 1n << BigInt(8 * length) ? [] : [addressOf(number, length)],
    ),
  )
  expect(atBorders.length).toBeGreaterThan(200)
  for (const address of atBorders)
    expect([address.toString(), isPublicAddress(address.toString())]).toEqual(judged(address))
})

test('random addresses are classified as by ipaddr.js', () => {
  const inRange = fc
    .constantFrom(...rangesOf(ipaddr.IPv4, 4), ...rangesOf(ipaddr.IPv6, 16))
    .chain(({ first, last, length }) => fc.bigInt({ min: first, max: last }).map((number) => addressOf(number, length)))
  const anywhere = fc
    .constantFrom(4, 16)
    .chain((length) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => ipaddr.fromByteArray([...bytes])),
    )
  fc.assert(
    fc.property(fc.oneof(inRange, anywhere), (address) => {
      expect([address.toString(), isPublicAddress(address.toString())]).toEqual(judged(address))
    }),
    { numRuns: 5_000 },
  )
})

type Address = ReturnType<typeof ipaddr.parse>

/** Returns an address and whether it is public according to ipaddr.js. */
function judged(address: Address): [string, boolean] {
  return [address.toString(), isPublicIn(address)]
}

function isPublicIn(address: Address): boolean {
  const range = address.range()
  const bytes = address.toByteArray()
  if (address.kind() === 'ipv4') return range === 'unicast'
  // The guard permits only what is allocated: 2000::/3.
  if (range === 'unicast') return ((bytes[0] ?? 0) & 0xe0) === 0x20
  const isLocalTranslation = range === 'rfc6052' && address.toString().startsWith('64:ff9b:1:')
  if (range === '6to4') return isPublicIn(ipaddr.fromByteArray(bytes.slice(2, 6)))
  const translates = range === 'ipv4Mapped' || range === 'rfc6145' || (range === 'rfc6052' && !isLocalTranslation)
  return translates && isPublicIn(ipaddr.fromByteArray(bytes.slice(12)))
}

interface Range {
  first: bigint
  last: bigint
  /** Length of its addresses in bytes. */
  length: number
}

/** Returns the special ranges of a kind of address. */
function rangesOf(kind: typeof ipaddr.IPv4 | typeof ipaddr.IPv6, length: number): Range[] {
  // The types declare no `SpecialRanges`, which holds one range or a list of them by name.
  const { SpecialRanges } = kind.prototype as unknown as { SpecialRanges: Record<string, Subnet | Subnet[]> }
  return Object.values(SpecialRanges).flatMap((subnets) =>
    (Array.isArray(subnets[0]) ? (subnets as Subnet[]) : [subnets as Subnet]).map(([network, prefix]) => {
      const first = network.toByteArray().reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
      return { first, last: first | ((1n << BigInt(8 * length - prefix)) - 1n), length }
    }),
  )
}
type Subnet = [Address, number]

function addressOf(number: bigint, length: number): Address {
  return ipaddr.fromByteArray(
    Array.from({ length }, (_, at) => Number((number >> BigInt(8 * (length - 1 - at))) & 255n)),
  )
}
