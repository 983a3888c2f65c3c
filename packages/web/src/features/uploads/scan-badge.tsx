import { Badge } from '../../components/badge.tsx'
import type { StoredFile } from './owner.ts'

/** Result of the virus scan. Files without one have no badge, because most servers do not scan. */
export function ScanBadge({ file: { scanState, scanSignature } }: { file: StoredFile }) {
  switch (scanState) {
    case 'pending':
      return <Badge tone="warning">Virus scan pending</Badge>
    case 'clean':
      return <Badge tone="success">Scanned</Badge>
    case 'infected':
      return <Badge tone="danger">Quarantined: {scanSignature}</Badge>
    case 'released':
      return <Badge>Released from quarantine</Badge>
    default:
      return null
  }
}
