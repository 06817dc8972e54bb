/**
 * The library of SSH, which has to be imported from here: what it does for each packet with AES-GCM is replaced before it
 * begins. Its native parts, where somebody has built them, are not used for that either.
 */
import './quick-gcm.ts'

export { default as ssh2 } from 'ssh2'
