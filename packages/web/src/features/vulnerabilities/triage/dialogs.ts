import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'

// Most visits open none of these dialogs, so the list does not wait for their code.
export const ActionDialog = lazyComponent(async () => (await import('./action-dialog.tsx')).ActionDialog, nothingYet)
export const KeysDialog = lazyComponent(async () => (await import('./keys-dialog.tsx')).KeysDialog, nothingYet)
export const PromotionDialog = lazyComponent(
  async () => (await import('./promotion-dialog.tsx')).PromotionDialog,
  nothingYet,
)
