namespace Millrace.Lab.Tests.Running;

internal sealed record FakeCase(string Method, int Value) : PlannedCase(Method, Role: null)
{
    public override bool IsBaseline => Method == "Good";

    public override CaseParameters Parameters => new() { Buffer = Value };

    public override CaseMethod Create() => new FakeMethod(Value);
}

internal sealed class FakeMethod(int value) : CaseMethod
{
    private int _calls;

    public static IList<string> Calls { get; } = [];

    public override Func<long> Find(string name) => name switch
    {
        "Good" => Good,
        "GoodAsync" => Wait(GoodAsync),
        "FailsTheThirdTime" => FailsTheThirdTime,
        "FailsAsync" => Wait(FailsAsync),
        _ => throw Unknown(name),
    };

    private long Good()
    {
        Calls.Add($"Good {value}");
        return value;
    }

    private async ValueTask<long> GoodAsync()
    {
        await Task.Yield();
        Calls.Add($"GoodAsync {value}");
        return value;
    }

    private long FailsTheThirdTime()
    {
        Calls.Add($"FailsTheThirdTime {value}");
        return ++_calls == 3 ? throw new InvalidOperationException("third time") : value;
    }

    private static async ValueTask<long> FailsAsync()
    {
        await Task.Yield();
        throw new InvalidOperationException("from another thread");
    }
}
