import type { Schemas } from '@alcove/client'
import { useAction } from '../../../data/api.ts'
import { useToast } from '../../../data/toasts.ts'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'

export type Flaw = Schemas['VulnerabilityFlaw']
export type FlawChange = Schemas['VulnerabilityFlawChange']

/** Project or group in which the user may split and join rows. */
export interface FlawPlace {
  kind: 'project' | 'group'
  id: number
}

const topic = 'flaws'

/** Returns the actions that split and join rows. Their messages offer to undo them. */
export function useRegrouping({ kind, id }: FlawPlace, onDone: () => void) {
  const toast = useToast()
  const undo = useUndo({ kind, id })
  const options = {
    showsErrors: true,
    onDone(change: FlawChange) {
      onDone()
      toast({
        text: `${changeInWords(change)}.`,
        topic,
        action: { label: listTexts.undo, run: () => undo.mutate({ path: { id, change_id: change.id } }) },
      })
    },
  }
  const split = useAction(
    kind === 'project'
      ? 'POST /projects/{id}/vulnerability_flaws/{flaw_id}/split'
      : 'POST /groups/{id}/vulnerability_flaws/{flaw_id}/split',
    options,
  )
  const join = useAction(
    kind === 'project'
      ? 'POST /projects/{id}/vulnerability_flaws/{flaw_id}/join'
      : 'POST /groups/{id}/vulnerability_flaws/{flaw_id}/join',
    options,
  )
  return { split, join }
}

/** Returns the action that undoes a split or join. */
export function useUndo({ kind }: FlawPlace) {
  const toast = useToast()
  return useAction(
    kind === 'project'
      ? 'POST /projects/{id}/vulnerability_flaw_changes/{change_id}/undo'
      : 'POST /groups/{id}/vulnerability_flaw_changes/{change_id}/undo',
    { onDone: ({ kind: undone }) => toast({ text: texts.undidThe(undone), topic }) },
  )
}

/** Describes a split or join. */
export function changeInWords({ kind, vulnerability_count: count }: FlawChange): string {
  const size = listTexts.vulnerabilitiesCount(count)
  return kind === 'split' ? texts.splitFromTheirRow(size) : texts.joinedInOneRow(size)
}
