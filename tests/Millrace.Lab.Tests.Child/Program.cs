using Millrace.Lab.Running;
using Millrace.Lab.Tests.Child;

switch (args[0])
{
    case LabWorker.Argument:
        return LabWorker.Run();
    case "known-load" when OperatingSystem.IsLinux():
        return MeasuredLoad.Print(args[1]);
    case "known-objects":
        return MeasuredObjects.Print();
    case "large-objects":
        return MeasuredLargeObjects.Print();
    case "busy":
        return BadWorker.KeepBusy();
    case "die":
        return BadWorker.Die();
    case "babble":
        return BadWorker.Babble();
    default:
        Console.Error.WriteLine($"unknown, or not on this system: {args[0]}");
        return 1;
}
