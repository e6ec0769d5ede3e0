using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Child;

internal sealed record KnownCase(string Method, Func<CaseMethod> Load) : PlannedCase(Method, Role: null)
{
    public override bool IsBaseline => false;

    public override CaseParameters Parameters { get; } = new();

    public override CaseMethod Create() => Load();

    public static LabCase Open(string method, Func<CaseMethod> load, ProcessMeters meters)
    {
        const int WarmUps = 5;
        var planned = new KnownCase(method, load);
        var item = new LabCase(planned, planned.CreateState(cache: null), meters);
        for (int i = 0; i < WarmUps; i++)
        {
            item.ExpectedNs = item.Measure(round: -1).WallNs;
        }

        return item;
    }
}
