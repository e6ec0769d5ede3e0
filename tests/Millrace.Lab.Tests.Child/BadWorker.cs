using System.Diagnostics;
using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Child;

internal static class BadWorker
{
    public static int Die()
    {
        Console.ReadLine();
        Console.WriteLine("""{"Phase":"dying"}""");
        Console.ReadLine();
        Console.Error.WriteLine("the last words");
        Process.GetCurrentProcess().Kill();
        return 0;
    }

    /// <summary>Keeps the processors busy, prints who does, and waits to be killed.</summary>
    public static int KeepBusy()
    {
        using var busy = BusyProcessors.Start();
        Console.WriteLine(string.Join(' ', busy.Ids));
        Console.ReadLine();
        return 0;
    }

    public static int Babble()
    {
        Console.ReadLine();
        Console.WriteLine("hello");
        Console.ReadLine();
        return 0;
    }
}
