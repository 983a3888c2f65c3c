import { crc32, deflateRawSync } from 'node:zlib'

/** File of an archive. The last fields replace what the archive states about it. */
export interface ZippedFile {
  name: string
  content: string | Buffer
  isStored?: boolean
  flags?: number
  method?: number
  size?: number
  crc?: number
}

/** Writes a zip archive. */
export function zip(files: readonly ZippedFile[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const content = Buffer.from(file.content)
    const data = file.isStored ? content : deflateRawSync(content)
    const name = Buffer.from(file.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0) // version needed
    common.writeUInt16LE(file.flags ?? 0x800, 2) // names are UTF-8
    common.writeUInt16LE(file.method ?? (file.isStored ? 0 : 8), 4)
    common.writeUInt32LE(file.crc ?? crc32(content), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(file.size ?? content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14) // comment, disk, attributes; then the offset
    place.writeUInt32LE(offset, 10)
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, data])
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, place, name)
    bodies.push(body)
    offset += body.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, central, end])
}
