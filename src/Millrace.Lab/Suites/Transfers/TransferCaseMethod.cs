using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

internal sealed class TransferCaseMethod : CaseMethod
{
    private readonly FileTransfers _transfers;

    public TransferCaseMethod(TransferCase planned)
    {
        _transfers = new FileTransfers
        {
            Ends = planned.Ends,
            Source = planned.Source,
            Direction = planned.Direction,
            Buffer = planned.Buffer,
            Durability = planned.Durability,
            Compression = planned.Compression,
        };
        _transfers.Setup();
    }

    public override bool DescribesItself
    {
        get => _transfers.DescribesItself;
        set => _transfers.DescribesItself = value;
    }

    public override string? Description => _transfers.Description;

    public override Func<long> Find(string name) => Wait(
        typeof(FileTransfers).GetMethod(name)?.CreateDelegate<Func<ValueTask<long>>>(_transfers) ?? throw Unknown(name));

    public override void Dispose() => _transfers.Cleanup();
}
