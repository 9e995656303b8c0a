// Loaded first into a process that the launcher started. When the launcher is gone without a word, as after kill -9, the
// process is asked to end as if the launcher had passed on SIGTERM: whoever has something to put away handles that.
if (process.channel !== undefined) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
