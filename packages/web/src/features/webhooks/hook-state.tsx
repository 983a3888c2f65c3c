import { Badge, type Tone } from '../../components/badge.tsx'
import { subscribedEvents } from './events.ts'
import type { Hook } from './place.ts'
import { texts } from './texts.ts'

const states: Record<string, { label: string; tone: Tone }> = {
  executable: { label: texts.active, tone: 'success' },
  temporarily_disabled: { label: texts.temporarilyDisabled, tone: 'warning' },
  disabled: { label: texts.disabled, tone: 'danger' },
}

export function HookState({ hook }: { hook: Hook }) {
  if (subscribedEvents(hook).length === 0) return <Badge>{texts.noEvents}</Badge>
  const { label, tone } = states[hook.alert_status] ?? { label: hook.alert_status, tone: 'neutral' as const }
  return <Badge tone={tone}>{label}</Badge>
}
