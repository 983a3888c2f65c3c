import { crc32, deflateSync } from 'node:zlib'

/** Files that the demo uploads to its projects. */
export const demoFiles: readonly { name: string; content: () => Buffer | string }[] = [
  { name: 'architecture.png', content: () => picture(480, 270, [40, 90, 160]) },
  { name: 'findings-by-month.png', content: () => picture(400, 240, [180, 60, 60]) },
  {
    name: 'threat-model.md',
    content: () => '# Threat model\n\n- Browsers are untrusted.\n- The network between services is untrusted.\n',
  },
  {
    name: 'review-notes.txt',
    content: () => 'Reviewed the token handling. Two findings are accepted until the next release.\n',
  },
  { name: 'exceptions.csv', content: () => 'rule,until,reason\ncw-117,2027-01-31,logs are structured\n' },
]

/** Draws a PNG file: a gradient of one colour. */
function picture(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = (x + y) / (width + height)
      const at = y * (width * 3 + 1) + 1 + x * 3
      for (const [index, part] of [red, green, blue].entries())
        rows[at + index] = Math.round(part + (255 - part) * light)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
