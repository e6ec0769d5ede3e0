namespace Millrace.Transfer.Server;

/// <summary>The methods that only WebDAV has.</summary>
internal sealed class DavHandler(IFileStore store)
{
    private readonly PropFind _find = new(store);
    private readonly PropPatch _patch = new(store);
    private readonly FileCopy _copy = new(store);
    private readonly FileLocking? _locking = store.Documents is null ? null : new FileLocking(store);

    /// <returns>False for another method.</returns>
    public bool TryAnswer(HttpContext context, FileTarget target, out Task answer)
    {
        Func<HttpContext, FileTarget, Task>? method = context.Request.Method switch
        {
            "PROPFIND" => _find.AnswerAsync,
            "PROPPATCH" => _patch.AnswerAsync,
            "COPY" => _copy.AnswerAsync,
            "LOCK" when _locking is not null => _locking.LockAsync,
            "UNLOCK" when _locking is not null => _locking.UnlockAsync,
            _ => null,
        };
        answer = method?.Invoke(context, target) ?? Task.CompletedTask;
        return method is not null;
    }
}
