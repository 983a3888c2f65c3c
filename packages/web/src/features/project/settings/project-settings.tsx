import { NotFound } from '../../../components/page/not-found.tsx'
import { GeneralSettings } from './general.tsx'
import { HookPage, NewHook } from './hook-page.tsx'
import { Hooks } from './hooks.tsx'

/** Pages below `/-/settings`. */
export function ProjectSettings({ part }: { part: string }) {
  const [, second, third] = part.split('/')
  if (second === undefined || second === '') return <GeneralSettings />
  if (second !== 'hooks') return <NotFound />
  if (third === undefined || third === '') return <Hooks />
  return third === 'new' ? <NewHook /> : <HookPage key={third} id={third} />
}
