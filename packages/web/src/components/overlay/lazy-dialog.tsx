import { type ComponentType, useLayoutEffect, useRef } from 'react'
import { type LazyComponent, lazyComponent, nothingYet } from '../lazy-component.tsx'
import { holdKeys } from './held-keys.ts'

/**
 * Creates a dialog whose code is fetched later. Keys pressed meanwhile act on the dialog once it has the focus; Escape
 * closes it at once.
 */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  const Dialog = lazyComponent(load, nothingYet)
  function KeyHoldingDialog(props: Props) {
    const close = useRef(props.onClose)
    close.current = props.onClose
    useLayoutEffect(() => {
      const release = holdKeys(() => close.current())
      Dialog.preload().catch(release)
      return release
    }, [])
    return <Dialog {...props} />
  }
  return Object.assign(KeyHoldingDialog, { preload: Dialog.preload })
}
