import { Badge, type Tone } from '../../components/badge.tsx'
import { subscribedEvents } from './events.ts'
import type { Hook } from './place.ts'

const states: Record<string, { label: string; tone: Tone }> = {
  executable: { label: 'Active', tone: 'success' },
  temporarily_disabled: { label: 'Temporarily disabled', tone: 'warning' },
  disabled: { label: 'Disabled', tone: 'danger' },
}

export function HookState({ hook }: { hook: Hook }) {
  if (subscribedEvents(hook).length === 0) return <Badge>No events</Badge>
  const { label, tone } = states[hook.alert_status] ?? { label: hook.alert_status, tone: 'neutral' as const }
  return <Badge tone={tone}>{label}</Badge>
}
