/**
 * Loaded into a server under test beside its own code: ends it with whoever started it, however that ended. It is no
 * TypeScript, because the server would load what strips its types, which takes longer and more memory than this tells.
 */
process.on('disconnect', () => process.exit())
process.channel?.unref()
