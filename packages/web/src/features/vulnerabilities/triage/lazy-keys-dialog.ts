import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'

// The dialogs of actions are not fetched later: keys typed before their code is there would act on the list.
export const KeysDialog = lazyComponent(async () => (await import('./keys-dialog.tsx')).KeysDialog, nothingYet)
