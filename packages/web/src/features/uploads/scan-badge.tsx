import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import type { StoredFile } from './owner.ts'
import { texts } from './texts.ts'

/** Result of the virus scan. Files without one have no badge, because most servers do not scan. */
export function ScanBadge({ file: { scanState, scanSignature } }: { file: StoredFile }) {
  switch (scanState) {
    case 'pending':
      return <Badge tone="warning">{texts.virusScanPending}</Badge>
    case 'clean':
      return <Badge tone="success">{texts.scanned}</Badge>
    case 'infected':
      return <Badge tone="danger">{fill(texts.quarantined, { scanSignature })}</Badge>
    case 'released':
      return <Badge>{texts.releasedFromQuarantine}</Badge>
    default:
      return null
  }
}
