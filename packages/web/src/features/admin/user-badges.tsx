import { Badge, type Tone } from '../../components/badge.tsx'
import { inWords } from '../../components/format.ts'
import { texts } from './texts.ts'

const tones: Record<string, Tone> = { active: 'success', blocked: 'danger', banned: 'danger', deactivated: 'warning' }

interface Shown {
  state: string
  is_admin?: boolean | undefined
  external?: boolean | undefined
}

export function UserBadges({ user }: { user: Shown }) {
  return (
    <span className="row-wrap">
      <Badge tone={tones[user.state] ?? 'neutral'}>{inWords(user.state)}</Badge>
      {user.is_admin && <Badge tone="accent">{texts.administrator}</Badge>}
      {user.external && <Badge tone="info">{texts.external}</Badge>}
    </span>
  )
}
